/** One IAM statement, in the format of `sst.aws.Function`. */
export interface Statement {
  effect?: 'allow' | 'deny'
  actions: string[]
  resources: $util.Input<string>[]
  conditions?: { test: string; variable: string; values: $util.Input<string>[] }[]
}
