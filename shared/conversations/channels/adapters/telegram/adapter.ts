import type { Adapter } from '../adapter.ts'
import { send, typing } from './answer.ts'
import { download } from './download.ts'
import { telegramChange } from './fields.ts'
import { poll } from './poll.ts'
import { read } from './read.ts'
import { setUp, tearDown } from './set-up.ts'
import { telegramMessages } from './text.ts'
import { verify } from './verify.ts'

/** The client of Telegram's Bot API: core.telegram.org/bots/api. It has no idempotency keys. */
export const telegram: Adapter = {
  change: telegramChange,
  secretFields: ['token'],
  safeToRepeat: false,
  verify,
  read,
  download,
  split: telegramMessages,
  send,
  typing,
  setUp,
  tearDown,
  poll,
}
