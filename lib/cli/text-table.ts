/** Rows as aligned columns, two spaces before each line and between columns. */
export function textTable(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    rows.reduce((widest, cells) => Math.max(widest, cells[column]?.length ?? 0), 0),
  );
  return rows.map((cells) =>
    `  ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd(),
  );
}
