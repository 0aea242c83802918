import {
  pinnedBytes,
  releaseReserved,
  type Reservation,
  reserveFor,
} from '#shared/agents/files/replace.ts'
import type { Reads } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { Write } from '#shared/platform/table/port.ts'
import type { Restore } from '../rows.ts'

/** Reserves the storage for the files of a restore point. */
export async function reservePinned(
  { table, config }: Pick<Context, 'table'> & Reads<'ADMIN_EMAILS'>,
  pin: { userId: string; agentId: string; pinId: string },
): Promise<Reservation> {
  const { userId, agentId } = pin
  const bytes = await pinnedBytes({ table }, pin)
  return reserveFor({ table, adminEmails: config.ADMIN_EMAILS }, { userId, agentId, bytes })
}

/** Returns the write that ends the reservation of a restore whose files are not replaced. */
export function releaseRoom({ userId, reserved }: Restore): Write | undefined {
  return releaseReserved(userId, reserved)
}
