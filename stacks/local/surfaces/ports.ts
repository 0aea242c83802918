import { createServer } from 'node:http'
import { listen, PortInUseError } from '../server/listen.ts'
import { portVariables, SettingsError, type StackSettings } from '../settings/settings.ts'

/** Says of a port that cannot be had which variable names it. */
export function cannotListen(variable: string): (error: unknown) => never {
  return (error) => {
    if (error instanceof PortInUseError)
      throw new SettingsError(
        `${variable}: port ${error.port} is in use; end what uses it or set ${variable} to another`,
      )
    if ((error as NodeJS.ErrnoException).code === 'EACCES')
      throw new SettingsError(
        `${variable}: this port is for the machine's administrator; set ${variable} to one above 1023`,
      )
    throw error
  }
}

/** Tries whether the ports can be had, and lets go of them again. @throws SettingsError that names every one that cannot */
export async function tryPorts(ports: StackSettings['ports']): Promise<void> {
  const problems: string[] = []
  for (const [surface, variable] of Object.entries(portVariables)) {
    const port = ports[surface as keyof typeof ports]
    if (port === undefined) continue
    const server = createServer()
    try {
      await listen(server, port).catch(cannotListen(variable))
      await new Promise((resolve) => server.close(resolve))
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error
      problems.push(error.message)
    }
  }
  if (problems.length > 0) throw new SettingsError(problems.join('\n'))
}
