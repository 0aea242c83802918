import { createHmac } from 'node:crypto'
import * as z from 'zod'
import { PlatformError } from '#shared/platform/errors.ts'
import { HttpFailure } from '#shared/platform/http-client/failure.ts'
import type { Adapter } from '../adapter.ts'
import { callWhatsApp, graphErrorOf, reasonOf } from './api.ts'

/**
 * Checks the access token, the number and the app's secret: the proof of the secret is valid only for a token of its
 * app. The owner enters the callback URL at Meta.
 * @throws PlatformError 400 for values that WhatsApp refuses, 502 if it does not respond
 */
export const setUp: Adapter['setUp'] = async (ctx, channel, receiveUrl) => {
  if (receiveUrl === undefined)
    throw new PlatformError(
      'bad-request',
      'WhatsApp sends messages only to a public https address: set WEB_URL to one',
    )
  const { phoneNumberId = '' } = channel.settings
  const { accessToken = '', appSecret = '' } = channel.secrets
  const query = new URLSearchParams({
    fields: 'display_phone_number,verified_name',
    appsecret_proof: createHmac('sha256', appSecret).update(accessToken).digest('hex'),
  })
  const answer = await callWhatsApp(ctx, channel, `${phoneNumberId}?${query}`).catch(
    (error: unknown) => {
      if (!(error instanceof HttpFailure)) throw error
      throw new PlatformError('bad-gateway', 'WhatsApp does not answer; try again later')
    },
  )
  const error = graphErrorOf(answer)
  if (error !== undefined && answer.status < 500)
    throw new PlatformError(
      'bad-request',
      `${refusedField(error)}: ${reasonOf(error.code, error.text)}`,
    )
  const number = z
    .object({ display_phone_number: z.string(), verified_name: z.string().optional() })
    .safeParse(answer.json).data
  if (number === undefined)
    throw new PlatformError('bad-gateway', `WhatsApp answers with status ${answer.status}`)
  const { display_phone_number: shown, verified_name: name = '' } = number
  return { settings: { number: shown, name } }
}

/** Returns which field an error is about. */
function refusedField({ code, text }: { code: number; text: string }): string {
  if (text.includes('appsecret_proof')) return 'The appSecret is not of the app of the accessToken'
  return code === 190 ? 'The accessToken is not valid' : 'The phoneNumberId is not valid'
}
