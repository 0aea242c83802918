import { randomHex, sha256Hex } from '#shared/platform/crypto.ts'
import type { Key, Table } from '#shared/platform/table/port.ts'
import { tryWrite } from '#shared/platform/table/try-write.ts'
import { epochSeconds } from '#shared/platform/times.ts'
import { signInNonceRows } from './rows.ts'

/** contract.md 2. */
const validSeconds = 600

async function nonceKey(nonce: string): Promise<Key> {
  return signInNonceRows.key({ nonceHash: await sha256Hex(nonce) })
}

/**
 * Creates a nonce for one message, valid for 10 minutes: 128 random bits in hex, since EIP-4361 allows letters and
 * digits only. viem's generateSiweNonce is not used, because it uses Math.random.
 */
export async function newNonce({ table }: { table: Table }, now = Date.now()): Promise<string> {
  const nonce = randomHex(16)
  const expiresAt = epochSeconds(now) + validSeconds
  await table.put(signInNonceRows.put({ nonceHash: await sha256Hex(nonce) }, {}, { expiresAt }))
  return nonce
}

/** Uses up a nonce. @returns whether it was unused; of several concurrent calls, one succeeds */
export async function consumeNonce(
  { table }: { table: Table },
  { nonce }: { nonce: string },
  now = Date.now(),
): Promise<boolean> {
  return tryWrite(
    table.delete(await nonceKey(nonce), {
      if: '#expiresAt > :now',
      values: { now: epochSeconds(now) },
    }),
  )
}
