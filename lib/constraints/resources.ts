/**
 * Amounts by resource name, whole numbers in the resource's own unit: cpu in millicores, memory,
 * ephemeral-storage and hugepages-* in bytes, everything else (pods, nodes, nvidia.com/gpu) in
 * units. A name that is absent counts as 0.
 *
 * Example: { cpu: 1500, memory: 3221225472, pods: 4 }
 */
export type Resources = Readonly<Record<string, number>>;
