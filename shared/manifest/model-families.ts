/** The families of model APIs: contract.md 15. */
export const modelFamilies = [
  'chat',
  'messages',
  'responses',
  'embeddings',
  'images',
  'speech',
  'transcriptions',
  'rerank',
  'moderations',
] as const

export type ModelFamily = (typeof modelFamilies)[number]
