import { localPorts } from '#shared/manifest/ports.ts'
import { type Checkout, startCheckout } from './checkout/start.ts'
import type { Secrets } from './secrets/secrets.ts'
import { PortInUseError } from './server/listen.ts'
import type { StackSettings } from './settings/settings.ts'
import { cannotListen } from './surfaces/ports.ts'

export interface Payments extends Checkout {
  /** The settings that functions get for it, as for a real provider. */
  values: Record<'PAYMENTS_API_URL' | 'PAYMENTS_SECRET_KEY' | 'PAYMENTS_WEBHOOK_SECRET', string>
}

interface PaymentsOptions {
  dir: string
  settings: StackSettings
  secrets: Secrets
}

/**
 * Starts the stand-in checkout in place of a payment provider. If PAYMENTS_PORT is not set and the default port is in use,
 * it takes a free one.
 * @throws SettingsError if PAYMENTS_PORT is set and in use
 */
export async function startPayments(options: PaymentsOptions): Promise<Payments> {
  const { dir, settings, secrets } = options
  const { payments: wanted, ...others } = settings.ports
  const { PAYMENTS_SECRET_KEY: secretKey } = secrets
  // A developer who sets their own secret can sign events for the webhook themselves.
  const webhookSecret =
    settings.values['PAYMENTS_WEBHOOK_SECRET'] ?? secrets.PAYMENTS_WEBHOOK_SECRET
  const start = (port: number) => startCheckout({ dir, port, secretKey, webhookSecret })
  const startAnywhere = () => {
    if (Object.values<number>(others).includes(localPorts.payments)) return start(0)
    return start(localPorts.payments).catch((error: unknown) => {
      if (error instanceof PortInUseError) return start(0)
      throw error
    })
  }
  const checkout =
    wanted === undefined
      ? await startAnywhere()
      : await start(wanted).catch(cannotListen('PAYMENTS_PORT'))
  return {
    ...checkout,
    values: {
      PAYMENTS_API_URL: `http://127.0.0.1:${checkout.port}`,
      PAYMENTS_SECRET_KEY: secretKey,
      PAYMENTS_WEBHOOK_SECRET: webhookSecret,
    },
  }
}
