import type { AdapterContext, OpenChannel, Stored } from '../adapter.ts'
import { addressOf } from './address.ts'

/** Gives the channel its address. @throws PlatformError 503 without EMAIL_IN_DOMAIN */
export async function setUpEmail(
  { config, guard: { deployed } }: Pick<AdapterContext, 'config' | 'guard'>,
  { id }: OpenChannel,
): Promise<Stored> {
  return { settings: { address: addressOf({ config, deployed }, id) } }
}
