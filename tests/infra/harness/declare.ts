import { createHash, randomUUID } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inject } from 'vitest'
import type { Inputs, Registration } from './mocks.ts'
import type { Build } from './rpc.ts'
import { runProgram, secretNames, secretValue, settings } from './run-program.ts'

export { secretNames, secretValue, settings }

interface Data {
  app: {
    name: string
    stage: string
    protect?: boolean
    removal?: string
    providers?: Record<string, unknown>
  }
  builds: Build[]
  registrations: Registration[]
  /** The outputs, which the command prints at the end of a deployment. */
  outputs: Inputs
}

export interface Declared extends Data {
  /**
   * The inputs of every resource of a type, by logical name.
   * @throws Error if no resource has the type
   */
  all(type: string): Map<string, Inputs>
  /**
   * The inputs of one resource.
   * @throws Error if no resource has the type and the name
   */
  one(type: string, name: string): Inputs
  /** The inputs of one resource that a later deployment does not change at AWS. */
  keptAsIs(type: string, name: string): string[]
}

/** Returns all resources of the program for the stage `production` with the usual settings. */
export function declared(): Declared {
  return lookups(inject('usual'))
}

/** Returns all resources for another stage, or with other settings. Test files share the declarations of a run. */
export async function declare(
  stage: string,
  environment: Record<string, string> = {},
): Promise<Declared> {
  const complete = Object.entries({ ...settings, ...environment }).toSorted()
  const key = JSON.stringify([stage, complete])
  const file = join(inject('declarations'), createHash('sha256').update(key).digest('hex'))
  const known = await readFile(file, 'utf8').catch(() => undefined)
  if (known !== undefined) return lookups(known)
  const declaration = await runProgram(inject('program'), stage, environment)
  // Another worker may read the file while this one writes it.
  const unfinished = `${file}-${randomUUID()}`
  await writeFile(unfinished, declaration)
  await rename(unfinished, file)
  return lookups(declaration)
}

function lookups(json: string): Declared {
  const data = JSON.parse(json) as Data
  const all = (type: string) => {
    const found = data.registrations.filter((entry) => entry.type === type)
    // A test over an empty list would pass with any program.
    if (found.length === 0) throw new Error(`nothing of type ${type} is declared`)
    return new Map(found.map(({ name, inputs }) => [name, inputs]))
  }
  return {
    ...data,
    all,
    one(type, name) {
      const inputs = all(type).get(name)
      if (inputs === undefined) throw new Error(`no ${type} is called ${name}`)
      return inputs
    },
    keptAsIs: (type, name) =>
      data.registrations.find((entry) => entry.type === type && entry.name === name)?.kept ?? [],
  }
}
