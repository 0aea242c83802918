import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import { vi } from 'vitest'

export interface Outcome {
  code: number
  said: string
}

interface Program {
  module: string
  folder: string
  parameters: readonly string[]
  /** Its whole environment. */
  environment: NodeJS.ProcessEnv
}

let runs = 0

/** Runs the main module of a program in this process, one at a time. The program must start no processes. */
export async function runHere({
  module,
  folder,
  parameters,
  environment,
}: Program): Promise<Outcome> {
  const { argv, env } = process
  const previous = process.cwd()
  let said = ''
  let code: number | undefined
  const write = (text: unknown) => {
    if (code === undefined) said += String(text)
    return true
  }
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(write),
    vi.spyOn(process.stderr, 'write').mockImplementation(write),
    vi.spyOn(process, 'exit').mockImplementation((given) => {
      code ??= Number(given ?? 0)
      throw new Error('the program ended')
    }),
  ]
  try {
    process.argv = [process.execPath, module, ...parameters]
    process.env = { ...environment }
    process.chdir(folder)
    runs += 1
    // Another address, so that the module runs again.
    await import(`${pathToFileURL(module).href}?run=${runs}`)
    code ??= Number(process.exitCode ?? 0)
  } catch (error) {
    write(inspect(error))
    code ??= 1
  } finally {
    for (const spy of spies) spy.mockRestore()
    process.exitCode = undefined
    Object.assign(process, { argv, env })
    process.chdir(previous)
  }
  return { code, said }
}
