import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { Adapter, AdapterContext } from '../adapter.ts'
import { sendAnswer } from './answer.ts'
import { downloadAttachment } from './download.ts'
import { emailChange } from './fields.ts'
import { eventsIn } from './handed-over.ts'
import { setUpEmail } from './set-up.ts'
import { emailTraits } from './traits.ts'
import { answerLookUp, verifyEmail } from './verify.ts'

/** Mail by SMTP: SES on AWS, a listener on one machine. The job `received-mails` reads the mails. */
export const email: Adapter = {
  ...emailTraits,
  change: emailChange,
  secretFields: [],
  verify: verifyEmail,
  challenge: answerLookUp,
  read: (_channel, inbound) => eventsIn(inbound),
  download: (ctx, _channel, file) => downloadAttachment(withStore(ctx), file),
  send: (ctx, channel, answer) => sendAnswer(withMail(ctx), channel, answer),
  setUp: setUpEmail,
}

/** @throws Error in a function that sends no mails */
function withMail(ctx: AdapterContext): Can<'mailer' | 'objects'> {
  const { mailer } = ctx
  if (mailer === undefined) throw new Error('this function sends no mails')
  return { mailer, ...withStore(ctx) }
}

/** @throws Error in a function that neither sends nor reads mails */
function withStore({ objects }: AdapterContext): Can<'objects'> {
  if (objects === undefined) throw new Error('this function has no access to mails')
  return { objects }
}
