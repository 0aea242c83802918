import { createServer } from 'node:http'
import { listen, PortInUseError } from '../server/listen.ts'
import { portVariables, SettingsError, type StackSettings } from '../settings/settings.ts'

/** Turns a failed listen into an error that names the variable of the port. */
export function cannotListen(variable: string): (error: unknown) => never {
  return (error) => {
    if (error instanceof PortInUseError)
      throw new SettingsError(
        `${variable}: port ${error.port} is in use. Stop the program that uses it, or set ${variable} to another port`,
      )
    if ((error as NodeJS.ErrnoException).code === 'EACCES')
      throw new SettingsError(
        `${variable}: this port needs administrator rights. Set ${variable} to a port above 1023`,
      )
    throw error
  }
}

/** Checks that the ports are free, and releases them. @throws SettingsError that names every port that is not */
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
