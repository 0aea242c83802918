import { sendRequest } from '#shared/platform/http-client/client.ts'
import { guardedTarget, type GuardOptions } from '#shared/platform/http-client/guarded.ts'
import { isSuccess } from '#shared/platform/http-client/status.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { RetryAfter } from '#shared/platform/queues/retry-after.ts'
import { maxInboundBytes } from '../limits.ts'
import { channelIdAt, type HasMailDomain } from './address.ts'
import { handOverHeaders } from './handed-over.ts'
import type { ReceivedMail } from './read.ts'
import type { ReceivedMailMessage } from './topic.ts'

type HandsOver = Pick<Context, 'log'> &
  HasMailDomain &
  Can<'clock' | 'objects' | 'webUrl'> & { encryptionKey: string; guard: GuardOptions }

/**
 * Sends a stored mail to the receiver of each channel that it is addressed to. A receiver stores each mail once.
 * @throws RetryAfter, HttpFailure, Error if the receiver did not take it
 */
export async function handOver(
  ctx: HandsOver,
  { mail, receipt }: ReceivedMailMessage,
): Promise<void> {
  const { log, objects } = ctx
  const key = receipt.action.objectKey
  const raw = await objects.get(key)
  const channels = new Set(receipt.recipients.map((address) => channelIdAt(ctx, address)))
  if (raw === undefined || raw.length > maxInboundBytes) {
    log.warn('a mail was not read', { key, reason: raw === undefined ? 'removed' : 'too large' })
    return
  }
  const received: ReceivedMail = {
    raw: new Uint8Array(raw),
    key,
    envelopeFrom: mail.source,
    verdicts: {
      spf: receipt.spfVerdict.status,
      dkim: receipt.dkimVerdict.status,
      dmarc: receipt.dmarcVerdict.status,
      spam: receipt.spamVerdict.status,
      virus: receipt.virusVerdict.status,
    },
    at: Date.parse(receipt.timestamp),
  }
  for (const channelId of channels)
    if (channelId !== undefined) await handOverTo(ctx, channelId, received)
}

async function handOverTo(
  { encryptionKey, webUrl, guard, log, clock = Date.now }: HandsOver,
  channelId: string,
  mail: ReceivedMail,
): Promise<void> {
  const url = new URL(`/in/email/${encodeURIComponent(channelId)}`, webUrl)
  const answer = await sendRequest({
    target: guardedTarget(url.href, guard),
    method: 'POST',
    headers: await handOverHeaders(encryptionKey, { ...mail, channelId }, clock()),
    body: Buffer.from(mail.raw),
    timeouts: { totalMs: 20_000 },
    maxBytes: 100_000,
  })
  answer.close()
  const { status } = answer
  // The channel was deleted after the mail was accepted.
  if (status === 404) log.info('a mail has no channel', { key: mail.key })
  else if (status === 429) throw new RetryAfter('the channel receives too many messages', 60)
  else if (!isSuccess(status)) throw new Error(`the receiver of channels answered ${status}`)
}
