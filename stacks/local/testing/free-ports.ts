import { portVariables } from '../settings/settings.ts'

/** The settings by which a stack takes whatever ports are free, so that many run beside each other. */
export const freePorts: Readonly<Record<string, string>> = Object.fromEntries(
  Object.values(portVariables).map((name) => [name, '0']),
)
