import { type Address, getAddress } from 'viem'
import type { Context } from '#shared/platform/identity/context.ts'
import { newId } from '#shared/platform/ids.ts'
import { TransactionRefused, tryCommit } from '#shared/platform/table/commit.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { type CountsRequests, insertUser } from '../users/insert-user.ts'
import { userRows } from '../users/rows.ts'
import { findUser, isDeleted, type User } from '../users/user.ts'
import { walletRows } from './rows.ts'

export interface RefusesBots {
  /** Refuses a program that would create an account. @throws PlatformError 403 BOT_DETECTED */
  refuseBots(): Promise<void>
}

/**
 * Returns the user of a wallet, created at its first sign-in. Users are never found by email: an address under
 * `wallet.service` proves nothing.
 */
export async function userOfWallet(
  ctx: Pick<Context, 'actor' | 'table' | 'requestId' | 'seed'> & CountsRequests & RefusesBots,
  { address }: { address: Address },
): Promise<{ id: string; name: string }> {
  const linked = await findLinked(ctx.table, address)
  if (linked !== undefined && !isDeleted(linked)) return shown(linked)
  const made = await create(ctx, address, linked?.id)
  if (made !== 'overtaken') return made
  const first = await findLinked(ctx.table, address)
  if (first === undefined) throw new Error('the link of a wallet has disappeared')
  return shown(first)
}

function shown({ id, name }: User): Pick<User, 'id' | 'name'> {
  return { id, name }
}

function keyOf(address: Address) {
  return { address: address.toLowerCase() }
}

async function findLinked(table: Table, address: Address): Promise<User | undefined> {
  const link = await table.get(walletRows.key(keyOf(address)))
  if (link === undefined) return undefined
  const user = await findUser(table, walletRows.parse(link).userId)
  if (user === undefined) throw new Error('a wallet is linked to a user that does not exist')
  return user
}

/**
 * Creates the user with all unique rows in one transaction: spec.md, User.
 * @param former the previous user of the wallet, who deleted the account
 * @returns `overtaken` if another sign-in of the same wallet was first
 */
async function create(
  ctx: Pick<Context, 'actor' | 'table' | 'requestId' | 'seed'> & CountsRequests & RefusesBots,
  address: Address,
  former: string | undefined,
) {
  await ctx.refuseBots()
  const written = getAddress(address)
  const { user, parts } = await insertUser(ctx, {
    id: newId(userRows.id, ctx.seed),
    name: `Wallet:${written.slice(0, 6)}...${written.slice(-4)}`,
    email: `${address.toLowerCase()}@wallet.service`,
  })
  const link = { userId: user.id, linkedAt: user.createdAt }
  const refusals = await tryCommit(ctx.table, {
    wallet: {
      put: walletRows.put(keyOf(address), link),
      ...(former === undefined
        ? { if: 'attribute_not_exists(pk)' }
        : { if: '#userId = :former', values: { former } }),
    },
    ...parts,
  })
  if (refusals === undefined) return shown(user)
  if (refusals.wallet !== undefined) return 'overtaken'
  throw new TransactionRefused(refusals)
}
