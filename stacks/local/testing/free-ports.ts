import { portVariables } from '../settings/settings.ts'

/** Settings that give a stack free ports, so that several can run at the same time. */
export const freePorts: Readonly<Record<string, string>> = Object.fromEntries(
  Object.values(portVariables).map((name) => [name, '0']),
)
