import * as z from 'zod'
import { entity } from '../platform/table/entity.ts'
import { accessClaims } from './access.ts'

/**
 * A link that lets a browser in to an agent once within a minute, by its SHA-256: a reader of the table cannot use
 * it.
 */
export const ticketRows = entity({
  name: 'ticket',
  pk: 'ticket#{hash}',
  sk: 'ticket',
  schema: () => accessClaims.extend({ subdomain: z.string() }),
})
