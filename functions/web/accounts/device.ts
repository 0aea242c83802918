import type { Device } from '../../../shared/accounts/session.ts'

/** What a request says that its person signs in by. */
export function deviceOf({ request, ip }: { request: Request; ip: string }): Device {
  return { userAgent: request.headers.get('user-agent') ?? undefined, address: ip }
}
