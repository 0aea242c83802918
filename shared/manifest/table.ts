/** The platform's only table. Items of all kinds share it; shared/platform/table forms the keys. */
export const table = {
  partitionKey: 'pk',
  sortKey: 'sk',
  /** Epoch seconds; an item past it counts as deleted. */
  timeToLive: 'expiresAt',
  indexes: [{ name: 'gsi1', partitionKey: 'gsi1pk', sortKey: 'gsi1sk' }],
} as const
