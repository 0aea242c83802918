import * as z from 'zod'
import { arn, type Engine } from '../engine.ts'
import type { Family } from '../family.ts'
import { canonicalJson } from '../wire/canonical.ts'
import { Fault } from '../wire/fault.ts'
import { containerDefinition, toContainerDefinition } from './container.ts'

/** RegisterTaskDefinition's request. This engine supports one container per task. */
export const registration = z.looseObject({
  family: z.string().regex(/^[A-Za-z0-9_-]{1,255}$/),
  containerDefinitions: z.tuple([containerDefinition]),
  cpu: z.string().regex(/^\d+$/).default('256'),
  memory: z.string().regex(/^\d+$/).default('512'),
})

export type Registration = z.infer<typeof registration>

/** A registered task definition in wire format. */
export type TaskDefinition = Registration & {
  taskDefinitionArn: string
  revision: number
  status: 'ACTIVE'
  /** Epoch seconds. */
  registeredAt: number
}

type DefinitionStore = Pick<Engine, 'store' | 'region' | 'account' | 'clock'>

/** Registers the next revision of a family. */
export function registerDefinition(engine: DefinitionStore, input: Registration): TaskDefinition {
  const { store } = engine
  return engine.store.transaction(() => {
    const last = store.get(
      'SELECT max(revision) AS n FROM definition WHERE family = ?',
      input.family,
    )
    const revision = Number(last?.['n'] ?? 0) + 1
    const definition: TaskDefinition = {
      ...input,
      taskDefinitionArn: arn(engine, `task-definition/${input.family}:${revision}`),
      revision,
      status: 'ACTIVE',
      registeredAt: engine.clock() / 1000,
    }
    store.run(
      `
      INSERT INTO definition (family, revision, content, body)
      VALUES (?, ?, ?, ?)`,
      input.family,
      revision,
      canonicalJson(input),
      JSON.stringify(definition),
    )
    return definition
  })
}

/** Registers a family, unless its last revision is equal. */
export function registerFamily(engine: DefinitionStore, name: string, family: Family): void {
  const input = registration.parse({
    family: name,
    containerDefinitions: [toContainerDefinition(family)],
    cpu: String(family.cpu),
    memory: String(family.memory),
  })
  const last = engine.store.get(
    'SELECT content FROM definition WHERE family = ? ORDER BY revision DESC LIMIT 1',
    name,
  )
  if (last?.['content'] !== canonicalJson(input)) registerDefinition(engine, input)
}

/**
 * Returns the definition for `family`, `family:revision` or an ARN.
 * @throws Fault ClientException if it does not exist
 */
export function findDefinition(store: Engine['store'], name: string): TaskDefinition {
  const [family = '', revision] = name.slice(name.lastIndexOf('/') + 1).split(':')
  const row =
    revision === undefined
      ? store.get(
          'SELECT body FROM definition WHERE family = ? ORDER BY revision DESC LIMIT 1',
          family,
        )
      : store.get(
          'SELECT body FROM definition WHERE family = ? AND revision = ?',
          family,
          Number(revision),
        )
  if (!row) throw new Fault('ClientException', `Unable to find task definition ${name}.`)
  return JSON.parse(String(row['body'])) as TaskDefinition
}
