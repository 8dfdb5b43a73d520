/** The trust policy of a role that only `service` may take on. */
export const assumedBy = (service: string) =>
  documentOf([{ Effect: 'Allow', Principal: { Service: service }, Action: 'sts:AssumeRole' }]);

/** A policy document of these statements. */
export const documentOf = (statements: readonly unknown[]) => ({
  Version: '2012-10-17',
  Statement: statements,
});
