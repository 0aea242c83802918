import * as z from 'zod'
import { entity } from '#shared/platform/table/entity.ts'
import { accessClaims } from './access.ts'

/**
 * A link that signs a browser in to an agent's host once, within a minute. Stored by its SHA-256, so that the table
 * does not contain usable links.
 */
export const ticketRows = entity({
  name: 'ticket',
  pk: 'ticket#{hash}',
  sk: 'ticket',
  schema: () => accessClaims.extend({ subdomain: z.string() }),
})
