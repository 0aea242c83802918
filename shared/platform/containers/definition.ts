import {
  ClientException,
  type ContainerDefinition,
  DescribeTaskDefinitionCommand,
  type ECSClient,
  RegisterTaskDefinitionCommand,
  type TaskDefinition,
} from '@aws-sdk/client-ecs'
import { containerName } from '#shared/manifest/containers.ts'
import { sha256Hex } from '../crypto.ts'

/** The number of hex digits of the hash: enough to avoid collisions between images. */
const hashLength = 20

/**
 * Returns a family's task definition with another image: a copy of the family's current revision, registered once under
 * a name with a hash of the image and that revision. RunTask itself accepts no image.
 * @param base the family, with the stage's prefix
 * @returns its ARN
 */
export async function definitionWith(
  client: ECSClient,
  base: string,
  image: string,
): Promise<string> {
  const original = await describe(client, base)
  const hash = await sha256Hex(`${original.taskDefinitionArn}\n${image}`)
  const family = `${base}-${hash.slice(0, hashLength)}`
  const found = await describe(client, family).catch((error: unknown) => {
    // ECS's error for a family that does not exist.
    if (!(error instanceof ClientException)) throw error
  })
  const definition = found ?? (await register(client, { ...copyOf(original, image), family }))
  return String(definition.taskDefinitionArn)
}

async function describe(client: ECSClient, taskDefinition: string): Promise<TaskDefinition> {
  const answer = await client.send(new DescribeTaskDefinitionCommand({ taskDefinition }))
  return answer.taskDefinition ?? {}
}

async function register(
  client: ECSClient,
  { family, containerDefinitions, ...rest }: TaskDefinition,
): Promise<TaskDefinition> {
  const command = new RegisterTaskDefinitionCommand({ family, containerDefinitions, ...rest })
  const answer = await client.send(command)
  return answer.taskDefinition ?? {}
}

/** Removes the fields that ECS adds to a registered definition. */
function copyOf(original: TaskDefinition, image: string): TaskDefinition {
  const {
    taskDefinitionArn: _arn,
    revision: _revision,
    status: _status,
    requiresAttributes: _attributes,
    compatibilities: _compatibilities,
    registeredAt: _registeredAt,
    registeredBy: _registeredBy,
    ...registrable
  } = original
  return {
    ...registrable,
    containerDefinitions: registrable.containerDefinitions?.map((one) => withImage(one, image)),
  }
}

function withImage(container: ContainerDefinition, image: string): ContainerDefinition {
  return container.name === containerName ? { ...container, image } : container
}
