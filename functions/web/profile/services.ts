import type { BotDetector } from '../../../shared/accounts/bot-detection.ts'
import { routesWith } from '../../../shared/http/route.ts'
import type { Mailer } from '../../../shared/platform/mail/port.ts'
import type { Queues } from '../../../shared/platform/queues/port.ts'
import type { AccountServices } from '../accounts/services.ts'

export interface ProfileServices extends AccountServices {
  mailer: Mailer
  queues: Pick<Queues, 'send'>
  bots: BotDetector
}

export const route = routesWith<ProfileServices>()
