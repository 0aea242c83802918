import { S3Client } from '@aws-sdk/client-s3'
import { localPorts } from '#shared/manifest/ports.ts'
import type { LocalCredentials } from '../clients/credentials.ts'
import type { Engines } from '../engines.ts'
import { PortInUseError } from '../server/listen.ts'
import type { StackSettings } from '../settings/settings.ts'
import { cannotListen } from '../surfaces/ports.ts'
import { keepMail } from './keep.ts'
import { type MailIn, startMailIn } from './server.ts'

interface MailOptions {
  engines: Pick<Engines, 'endpoints' | 'queueUrls' | 'sqs'>
  credentials: LocalCredentials
  settings: StackSettings
  /** The address of the web surface. */
  webUrl: string
}

/**
 * Starts the listener for mails to agents. If EMAIL_IN_PORT is not set and the default port is in use, it takes a free one.
 * @throws SettingsError if EMAIL_IN_PORT is set and in use
 */
export async function startMail(options: MailOptions): Promise<MailIn> {
  const { engines, credentials, settings, webUrl } = options
  const s3 = new S3Client({
    endpoint: engines.endpoints.s3,
    forcePathStyle: true,
    ...credentials,
  })
  const { mail: wanted, ...others } = settings.ports
  const start = (port: number) =>
    startMailIn({
      port,
      knows: (address) => hasChannel(webUrl, address),
      take: (mail) =>
        keepMail({ s3, sqs: engines.sqs, queueUrl: engines.queueUrls['received-mails'] }, mail),
    })
  const startAnywhere = () => {
    if (Object.values<number>(others).includes(localPorts.mail)) return start(0)
    return start(localPorts.mail).catch((error: unknown) => {
      if (error instanceof PortInUseError) return start(0)
      throw error
    })
  }
  const mailIn =
    wanted === undefined
      ? await startAnywhere()
      : await start(wanted).catch(cannotListen('EMAIL_IN_PORT'))
  return {
    port: mailIn.port,
    close: async () => {
      await mailIn.close()
      s3.destroy()
    },
  }
}

/** Asks the receiver of channels, as other services do. @throws Error for an answer that decides nothing */
async function hasChannel(webUrl: string, address: string): Promise<boolean> {
  const at = address.lastIndexOf('@')
  const [local, domain] = [address.slice(0, at), address.slice(at + 1)]
  const query = new URLSearchParams({ domain: domain.toLowerCase() })
  const path = `/in/email/${encodeURIComponent(local.toLowerCase())}?${query}`
  const { status } = await fetch(new URL(path, webUrl), { signal: AbortSignal.timeout(60_000) })
  if (status !== 404 && status >= 400)
    throw new Error(`the receiver of channels answered ${status}`)
  return status < 300
}
