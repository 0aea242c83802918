import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2'
import type { Mailer } from './port.ts'

export interface SesOptions {
  /** The sender, an address that SES has verified. */
  from: string
  /** An SES endpoint other than AWS's. */
  endpoint?: string | undefined
}

/** The timeout of one attempt. After it, the queue delivers the mail again. */
const timeoutMs = 5000

/** The mail port over SES version 2. */
export function sesMailer({ from, endpoint }: SesOptions): Mailer {
  const client = new SESv2Client({
    maxAttempts: 2,
    requestHandler: { connectionTimeout: timeoutMs, requestTimeout: timeoutMs },
    ...(endpoint !== undefined && { endpoint }),
  })
  const part = (Data: string) => ({ Data, Charset: 'UTF-8' })
  return {
    async send({ to, subject, text, html }) {
      await client.send(
        new SendEmailCommand({
          FromEmailAddress: from,
          Destination: { ToAddresses: [to] },
          Content: {
            Simple: {
              Subject: part(oneLine(subject)),
              Body: { Text: part(text), Html: part(html) },
            },
          },
        }),
      )
    },
  }
}

/** Removes line breaks from a subject, because a line break would start another header. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()
}
