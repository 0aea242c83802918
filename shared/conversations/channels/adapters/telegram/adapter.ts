import type { Adapter } from '../adapter.ts'
import { send, typing } from './answer.ts'
import { download } from './download.ts'
import { telegramChange } from './fields.ts'
import { poll } from './poll.ts'
import { read } from './read.ts'
import { setUp, tearDown } from './set-up.ts'
import { telegramTraits } from './traits.ts'
import { verify } from './verify.ts'

/** The client of Telegram's Bot API: core.telegram.org/bots/api. */
export const telegram: Adapter = {
  ...telegramTraits,
  change: telegramChange,
  secretFields: ['token'],
  verify,
  read,
  download,
  send,
  typing,
  setUp,
  tearDown,
  poll,
}
