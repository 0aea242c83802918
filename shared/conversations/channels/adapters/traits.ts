import type { Traits } from './adapter.ts'
import { emailTraits } from './email/traits.ts'
import type { Kind } from './kinds.ts'
import { slackTraits } from './slack/traits.ts'
import { telegramTraits } from './telegram/traits.ts'
import { webhookTraits } from './webhook/traits.ts'
import { whatsappTraits } from './whatsapp/traits.ts'

const traits: Readonly<Record<Kind, Traits>> = {
  email: emailTraits,
  slack: slackTraits,
  telegram: telegramTraits,
  webhook: webhookTraits,
  whatsapp: whatsappTraits,
}

/** Returns what the platform knows of a kind without the code that calls its service. */
export function traitsOf(kind: Kind): Traits {
  return traits[kind]
}
