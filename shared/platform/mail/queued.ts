import type { Queues } from '../queues/port.ts'
import type { Mailer } from './port.ts'

/** The mail port for functions that answer people: the mail is on its way when the queue has it, and tried until it is sent. */
export function queuedMailer(queues: Queues): Mailer {
  return { send: (mail) => queues.send('mails', mail) }
}
