import type { Context } from 'aws-lambda'
import type { RuntimeSpec } from './protocol.ts'

/** Returns the context object of one invocation, as Lambda passes it. Callbacks were removed in nodejs24.x. */
export function invocationContext(
  { name, memoryMb }: RuntimeSpec,
  requestId: string,
  deadline: number,
): Context {
  return {
    callbackWaitsForEmptyEventLoop: true,
    functionName: name,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:us-east-1:000000000000:function:${name}`,
    memoryLimitInMB: String(memoryMb),
    awsRequestId: requestId,
    logGroupName: `/aws/lambda/${name}`,
    logStreamName: 'local',
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
  } as Context
}
