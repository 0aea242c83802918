import type { BotDetector } from '../../../shared/accounts/bot-detection.ts'
import type { Passwords } from '../../../shared/accounts/password.ts'
import { routesWith } from '../../../shared/http/route.ts'
import type { Mailer } from '../../../shared/platform/mail/port.ts'
import type { Queues } from '../../../shared/platform/queues/port.ts'
import type { Table } from '../../../shared/platform/table/port.ts'

export interface AccountServices {
  table: Table
  passwords: Passwords
  mailer: Mailer
  queues: Pick<Queues, 'send'>
  bots: BotDetector
  webUrl: string
  /** False only for load tests on one machine. */
  lockouts: boolean
}

export const route = routesWith<AccountServices>()
