import { functionOf, functions } from './functions.ts'
import { liveAlias } from '../shared/manifest/releases.ts'
import { pascal } from './names.ts'

/**
 * What calls a function calls its alias, and never what was uploaded last: a release moves the alias from one version to
 * the next (stacks/releases.ts), so a deployment alone changes nothing that anybody is served by.
 */
const aliases = new Map([...functions].map(([name, lambda]) => [name, alias(name, lambda)]))

/** The alias of the Lambda of that name. @throws Error when this stage has none */
export function aliasOf(name: string): aws.lambda.Alias {
  const found = aliases.get(name)
  if (found === undefined) throw new Error(`${name} is no Lambda of this stage`)
  return found
}

/** Where a REST API sends what an alias shall answer in a stream. */
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
      // Of the first deployment; from then on releases move it.
      functionVersion: lambda.nodes.function.version,
    },
    { ignoreChanges: ['functionVersion', 'routingConfig'] },
  )
}
