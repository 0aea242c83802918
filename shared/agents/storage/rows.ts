import * as z from 'zod'
import { entity } from '#shared/platform/table/entity.ts'

/** The storage that a user’s agents use. */
export const storageRows = entity({
  name: 'use of storage',
  pk: 'user#{userId}',
  sk: 'storage',
  schema: () =>
    z.object({
      /** The bytes of all files and of all reservations. */
      taken: z.number().default(0),
      /** The bytes of reservations alone. */
      reserved: z.number().default(0),
      /** The bytes that containers stored on this UTC day, YYYY-MM-DD. */
      uploaded: z.number().optional(),
      uploadDay: z.string().optional(),
      /** When the storage was full, ISO 8601. It is removed when less than 90 % are used. */
      fullAt: z.string().optional(),
      /** Set until the mail about it is sent. */
      untold: z.literal(true).optional(),
    }),
})

export type StorageUse = z.output<ReturnType<typeof storageRows.declared.schema>>
