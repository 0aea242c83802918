import { createHmac } from 'node:crypto'
import { equalInConstantTime } from '#shared/platform/crypto.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Adapter } from '../adapter.ts'
import { slackSignatureSeconds } from '../limits.ts'

/** Checks Slack's signature of version v0 and its time: docs.slack.dev, "Verifying requests from Slack". */
export const verify: Adapter['verify'] = async ({ now }, { secrets }, { headers, body }) => {
  const { signingSecret } = secrets
  const time = headers.get('x-slack-request-timestamp') ?? ''
  const recent =
    /^\d{1,12}$/.test(time) && Math.abs(now / 1000 - Number(time)) <= slackSignatureSeconds
  const equal =
    signingSecret !== undefined &&
    (await equalInConstantTime(
      headers.get('x-slack-signature') ?? '',
      `v0=${createHmac('sha256', signingSecret).update(`v0:${time}:`).update(body).digest('hex')}`,
    ))
  if (!recent || !equal) throw new PlatformError('unauthorized', 'The signature is not valid')
}
