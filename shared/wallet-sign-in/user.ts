import { type Address, getAddress } from 'viem'
import { insertUser } from '../accounts/insert-user.ts'
import { userRows } from '../accounts/rows.ts'
import { findUser } from '../accounts/user.ts'
import type { Context } from '../identity/context.ts'
import { newId } from '../platform/ids.ts'
import { Refused, tryCommit } from '../platform/table/commit.ts'
import type { Table } from '../platform/table/port.ts'
import { walletRows } from './rows.ts'

type WalletUserContext = Pick<Context, 'actor' | 'table' | 'requestId' | 'seed'>

/**
 * The user that a wallet is linked to, made with its first sign-in. Never found by email: an address under
 * `wallet.service` proves nothing.
 */
export async function userOfWallet(
  ctx: WalletUserContext,
  { address }: { address: Address },
): Promise<{ id: string; name: string }> {
  const known = (await findLinked(ctx.table, address)) ?? (await create(ctx, address))
  if (known !== 'overtaken') return known
  const made = await findLinked(ctx.table, address)
  if (made === undefined) throw new Error('a wallet was linked and is not')
  return made
}

function keyOf(address: Address) {
  return { address: address.toLowerCase() }
}

async function findLinked(table: Table, address: Address) {
  const link = await table.get(walletRows.key(keyOf(address)))
  if (link === undefined) return undefined
  const user = await findUser(table, walletRows.parse(link).userId)
  if (user === undefined) throw new Error('a wallet is linked to a user that does not exist')
  return { id: user.id, name: user.name }
}

/**
 * The user with everything that must be theirs alone, or nothing: spec.md, User.
 * @returns `overtaken` where another sign-in of the same wallet was first
 */
async function create(ctx: WalletUserContext, address: Address) {
  const shown = getAddress(address)
  const { user, parts } = await insertUser(ctx, {
    id: newId(userRows.id, ctx.seed),
    name: `Wallet:${shown.slice(0, 6)}...${shown.slice(-4)}`,
    email: `${address.toLowerCase()}@wallet.service`,
  })
  const link = { userId: user.id, linkedAt: user.createdAt }
  const refusals = await tryCommit(ctx.table, {
    wallet: { put: walletRows.put(keyOf(address), link), if: 'attribute_not_exists(pk)' },
    ...parts,
  })
  if (refusals === undefined) return { id: user.id, name: user.name }
  if (refusals.wallet !== undefined) return 'overtaken'
  throw new Refused(refusals)
}
