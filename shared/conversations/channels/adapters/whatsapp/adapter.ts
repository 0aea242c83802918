import type { Adapter } from '../adapter.ts'
import { send, typing } from './answer.ts'
import { whatsappChange } from './fields.ts'
import { download } from './files.ts'
import { read } from './read.ts'
import { reports } from './reports.ts'
import { setUp } from './set-up.ts'
import { whatsappTraits } from './traits.ts'
import { challenge, verify } from './verify.ts'

/** A phone number of WhatsApp's Cloud API. */
export const whatsapp: Adapter = {
  ...whatsappTraits,
  change: whatsappChange,
  secretFields: ['accessToken', 'appSecret', 'verifyToken'],
  verify,
  challenge,
  read,
  reports,
  download,
  send,
  typing,
  setUp,
}
