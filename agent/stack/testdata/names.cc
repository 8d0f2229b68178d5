#include <unistd.h>
namespace solver {
template <class T> struct Grid {
	T cell;
	__attribute__((noinline)) void relax() {
		for (;;)
			pause();
	}
};
} // namespace solver
int main() {
	solver::Grid<double> g{1};
	g.relax();
}
