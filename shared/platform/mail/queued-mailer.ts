import { notConfigured } from '../errors.ts'
import type { Queues } from '../queues/port.ts'
import type { Sealer } from '../seal.ts'
import type { Mailer } from './port.ts'
import { mailPlace, mails } from './topic.ts'

/**
 * The mail port for functions with HTTP requests. It queues the mail, and the consumer retries until the mail is sent.
 * The message is encrypted, because its links give access to accounts and operators can read a queue's messages.
 * @param seals undefined without WALLET_ENCRYPTION_KEY; each mail is then refused with 503
 */
export function queuedMailer(queues: Queues<'mails'>, seals: Sealer | undefined): Mailer {
  return {
    async send(mail) {
      if (seals === undefined) throw notConfigured('Sending mail', ['WALLET_ENCRYPTION_KEY'])
      await queues.send(mails, { sealed: await seals.seal(JSON.stringify(mail), mailPlace) })
    },
  }
}
