import * as z from 'zod'
import { type AwsCalls, AwsError } from '../aws/calls.ts'

/**
 * The names of the settings of a stage's last deployment, in a free SSM parameter. SST does not declare it: a deployment
 * that fails halfway must not replace it. It contains no values.
 */
const parameterOf = (stage: string) => `/agent-platform/${stage}/settings`

const stored = z.object({ Parameter: z.object({ Value: z.string() }) })

/** Returns the names of the last deployment's settings; undefined before the first deployment. @throws AwsError */
export async function lastSettings(aws: AwsCalls, stage: string): Promise<string[] | undefined> {
  try {
    const found = await aws.json('ssm', 'AmazonSSM.GetParameter', { Name: parameterOf(stage) })
    return stored.parse(found).Parameter.Value.split(',')
  } catch (error) {
    if (error instanceof AwsError && error.name === 'ParameterNotFound') return undefined
    throw error
  }
}

/** Stores the names of the settings that were deployed. @throws AwsError */
export async function recordSettings(aws: AwsCalls, stage: string, names: string[]): Promise<void> {
  await aws.json('ssm', 'AmazonSSM.PutParameter', {
    Name: parameterOf(stage),
    Description: 'Names of the settings of the last deployment',
    Value: names.toSorted().join(','),
    Type: 'String',
    Overwrite: true,
  })
}

/** Deletes the names after the removal of a stage; no error if they do not exist. @throws AwsError */
export async function forgetSettings(aws: AwsCalls, stage: string): Promise<void> {
  await aws
    .json('ssm', 'AmazonSSM.DeleteParameter', { Name: parameterOf(stage) })
    .catch((error: unknown) => {
      if (!(error instanceof AwsError && error.name === 'ParameterNotFound')) throw error
    })
}
