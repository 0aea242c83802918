import { newWebhookSecret } from '#shared/platform/webhook-signature.ts'
import type { Adapter } from '../adapter.ts'
import { webhookFile, webhookText } from '../limits.ts'
import { sendAnswer } from './answer.ts'
import { webhookChange } from './fields.ts'
import { readWebhook } from './read.ts'
import { setUpWebhook } from './set-up.ts'
import { verifyWebhook } from './verify.ts'

/** Any program that signs according to Standard Webhooks. */
export const webhook: Adapter = {
  change: webhookChange,
  secretFields: ['secret'],
  makeSecret: newWebhookSecret,
  signedSenders: true,
  answers: ({ settings }) => settings['answerUrl'] !== undefined,
  safeToRepeat: true,
  verify: async ({ now }, channel, inbound) => verifyWebhook(channel, inbound, now),
  read: readWebhook,
  split: (text) => [text.slice(0, webhookText)],
  refuses: ({ size }) =>
    size > webhookFile ? `A file to a webhook has at most ${webhookFile} bytes` : undefined,
  send: sendAnswer,
  setUp: setUpWebhook,
}
