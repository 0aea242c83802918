import { notConfigured } from '../errors.ts'
import type { Queues } from '../queues/port.ts'
import type { Sealer } from '../seal.ts'
import type { Mailer } from './port.ts'
import { mailPlace, mails } from './topic.ts'

/**
 * The mail port for functions that answer people: the mail is on its way when the queue has it, and tried until it is
 * sent. It is sealed, since its links open accounts and a queue's messages can be read by its operators.
 * @param seals undefined without WALLET_ENCRYPTION_KEY: then each mail is refused with 503
 */
export function queuedMailer(queues: Queues<'mails'>, seals: Sealer | undefined): Mailer {
  return {
    async send(mail) {
      if (seals === undefined) throw notConfigured('Sending mail', ['WALLET_ENCRYPTION_KEY'])
      await queues.send(mails, { sealed: await seals.seal(JSON.stringify(mail), mailPlace) })
    },
  }
}
