import * as z from 'zod'
import { entity } from '#shared/platform/table/entity.ts'

/** The user that a wallet signs in; each address has one row, in lower case. */
export const walletRows = entity({
  name: 'sign-in wallet',
  pk: 'wallet#{address}',
  sk: 'wallet',
  schema: () => z.object({ userId: z.string(), linkedAt: z.string() }),
})

/** An unused nonce, by its SHA-256. */
export const signInNonceRows = entity({
  name: 'sign-in nonce',
  pk: 'nonce#{nonceHash}',
  sk: 'nonce',
  schema: () => z.object({}),
})
