import { requireAllowedUrl } from '#shared/platform/http-client/allowed-url.ts'
import type { AdapterContext, OpenChannel, Stored } from '../adapter.ts'

/** @throws PlatformError 400 for an answerUrl that is not allowed */
export async function setUpWebhook(
  { guard }: Pick<AdapterContext, 'guard'>,
  { settings }: OpenChannel,
): Promise<Stored> {
  const { answerUrl } = settings
  if (answerUrl !== undefined) requireAllowedUrl(guard, 'answerUrl', answerUrl)
  return {}
}
