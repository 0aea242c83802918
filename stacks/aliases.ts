import { liveAlias } from '#shared/manifest/releases.ts'
import { functionOf, functions } from './functions.ts'
import { pascal } from './names.ts'
import { isThrowaway } from './stage.ts'

/**
 * Callers invoke a function by its alias and never by its latest version. A release moves the alias from one version to the
 * next (stacks/releases.ts), so a deployment alone does not change what is served, except in a
 * throwaway stage, which has no releases.
 */
const aliases = new Map([...functions].map(([name, lambda]) => [name, alias(name, lambda)]))

/** Returns the alias of a Lambda function. @throws Error if this stage does not have it */
export function aliasOf(name: string): aws.lambda.Alias {
  const found = aliases.get(name)
  if (found === undefined) throw new Error(`${name} is not a Lambda function in this stage`)
  return found
}

/** Returns the ARN that a REST API uses to invoke an alias with response streaming. */
export function streamingArn(name: string): $util.Output<string> {
  const { arn, nodes } = functionOf(name)
  return $util
    .all([nodes.function.responseStreamingInvokeArn, arn, aliasOf(name).arn])
    .apply(([uri, unqualified, qualified]) => uri.replace(unqualified, qualified))
}

function alias(name: string, lambda: sst.aws.Function): aws.lambda.Alias {
  return new aws.lambda.Alias(
    `${pascal(name)}Live`,
    {
      name: liveAlias,
      description: 'What is served',
      functionName: lambda.name,
      // Except in a throwaway stage, used by the first deployment only. After that, releases move the alias.
      functionVersion: lambda.nodes.function.version,
    },
    isThrowaway($app.stage) ? {} : { ignoreChanges: ['functionVersion', 'routingConfig'] },
  )
}
