import { callspecMatchers } from '@callspec/vitest'
import { expect } from 'vitest'

expect.extend(callspecMatchers)
