import { newWebhookSecret } from '#shared/platform/webhook-signature.ts'
import type { Adapter } from '../adapter.ts'
import { sendAnswer } from './answer.ts'
import { webhookChange } from './fields.ts'
import { readWebhook } from './read.ts'
import { setUpWebhook } from './set-up.ts'
import { webhookTraits } from './traits.ts'
import { verifyWebhook } from './verify.ts'

/** Any program that signs according to Standard Webhooks. */
export const webhook: Adapter = {
  ...webhookTraits,
  change: webhookChange,
  secretFields: ['secret'],
  makeSecret: newWebhookSecret,
  verify: async ({ now }, channel, inbound) => verifyWebhook(channel, inbound, now),
  read: readWebhook,
  send: sendAnswer,
  setUp: setUpWebhook,
}
