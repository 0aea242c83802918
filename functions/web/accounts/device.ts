import type { Device } from '#shared/accounts/users/session.ts'

/** Returns the device that a request describes in its headers. */
export function deviceOf({ request, ip }: { request: Request; ip: string }): Device {
  return { userAgent: request.headers.get('user-agent') ?? undefined, address: ip }
}
