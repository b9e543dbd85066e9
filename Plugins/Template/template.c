#include "voiced_source.h"
