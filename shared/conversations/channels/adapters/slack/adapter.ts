import type { Adapter } from '../adapter.ts'
import { send, typing } from './answer.ts'
import { challenge } from './challenge.ts'
import { slackChange } from './fields.ts'
import { download } from './files.ts'
import { read } from './read.ts'
import { setUp } from './set-up.ts'
import { slackTraits } from './traits.ts'
import { verify } from './verify.ts'

/** An app of a Slack workspace, by the Events API and the Web API. */
export const slack: Adapter = {
  ...slackTraits,
  change: slackChange,
  secretFields: ['botToken', 'signingSecret'],
  verify,
  challenge,
  read,
  download,
  send,
  typing,
  setUp,
}
