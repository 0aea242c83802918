import { afterAll, afterEach, beforeEach } from 'vitest'
import { closeWorkers, workerCount } from '../support/http/carrier.ts'

let before = 0

// A worker lives as long as its owner: one test, or the whole file.
beforeEach(() => {
  before = workerCount()
})
afterEach(() => closeWorkers(before))
afterAll(() => closeWorkers())
