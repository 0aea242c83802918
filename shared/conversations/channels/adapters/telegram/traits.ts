import type { Traits } from '../adapter.ts'
import { telegramTypingSeconds } from '../limits.ts'
import { telegramMessages } from './text.ts'

/** The Bot API has no idempotency keys: core.telegram.org/bots/api. */
export const telegramTraits: Traits = {
  safeToRepeat: false,
  split: telegramMessages,
  typingSeconds: telegramTypingSeconds,
  isRegistered: true,
  isPolled: true,
}
