/** The platform's one table. Items of all kinds share it; shared/platform/table forms the keys. */
export const table = {
  partitionKey: 'pk',
  sortKey: 'sk',
  /** Holds epoch seconds; an item past it is as good as gone. */
  timeToLive: 'expiresAt',
  indexes: [{ name: 'gsi1', partitionKey: 'gsi1pk', sortKey: 'gsi1sk' }],
} as const
