import { Resource } from 'sst/resource'
import { queueBaseVariable, type QueueName, queueVariable } from '#shared/manifest/queues.ts'
import { readSettings, settingNames, type Settings } from './settings.ts'

export interface Config extends Settings {
  /** True on AWS, where settings for one machine must not be used. */
  deployed: boolean
  /** Returns the URL of a queue. @throws Error for a queue that is not granted to this function */
  queueUrl: (queue: QueueName) => string
}

/**
 * The settings of this function, read once when its module is loaded.
 * @throws Error with the name of every invalid variable, without its value
 */
export function loadConfig(environment: Record<string, string | undefined>): Config {
  const linked = linkedSecrets(settingNames)
  const { settings, problems } = readSettings({ ...linked, ...environment })
  if (problems.length > 0)
    throw new Error(problems.map(({ name, message }) => `${name}: ${message}`).join('\n'))
  const deployed = settings.PLATFORM_STAGE !== 'local'
  if (deployed && settings.STAND_IN_PROVIDER_URL !== undefined)
    throw new Error('STAND_IN_PROVIDER_URL is only for one machine; set AI_BASE_URL')
  return {
    ...settings,
    deployed,
    queueUrl(queue) {
      const name = queueVariable(queue)
      const url = environment[name]
      if (!url) throw new Error(`${name} is not set: ${queue} was not granted`)
      return `${environment[queueBaseVariable] ?? ''}${url}`
    },
  }
}

/**
 * Returns the secrets that SST linked to this function. They are in an encrypted file of its code, because anyone with
 * permission to describe the function could read variables. On one machine no secrets are linked; they are plain
 * variables.
 */
function linkedSecrets(names: readonly string[]): Record<string, string> {
  const linked: object = Resource
  const found: Record<string, string> = {}
  for (const name of names) {
    if (!(name in linked)) continue
    const { value } = Reflect.get(linked, name) as { value?: unknown }
    if (typeof value === 'string') found[name] = value
  }
  return found
}
